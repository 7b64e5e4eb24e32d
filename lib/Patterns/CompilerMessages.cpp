//===- CompilerMessages.cpp - What mlir-pdll says, as diagnostics ---------===//

#include "Compiler.h"

#include "Natives.h"

#include "tensorcast/Support/Wording.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// The place that a message is about, in the form `file:line:column`.
static std::optional<Location> parsePlace(MLIRContext *context,
                                          StringRef text) {
  auto [rest, columnText] = text.rsplit(':');
  auto [file, lineText] = rest.rsplit(':');
  unsigned line, column;
  if (file.empty() || columnText.getAsInteger(10, column) ||
      lineText.getAsInteger(10, line))
    return std::nullopt;
  return FileLineColLoc::get(context, file, line, column);
}

/// The place of a constant that does not parse, which the compiler calls
/// `loc("constant":line:column)`; the start of the file if it is not found.
static std::optional<Location> findConstant(MLIRContext *context,
                                            StringRef text, StringRef path,
                                            StringRef source) {
  if (!text.consume_front("loc(\""))
    return std::nullopt;
  StringRef constant = text.rsplit("\":").first;
  size_t at = source.find(("\"" + constant + "\"").str());
  StringRef before = source.take_front(at == StringRef::npos ? 0 : at);
  size_t line = before.count('\n') + 1;
  size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  return FileLineColLoc::get(context, path, line, column);
}

/// What a message lacks: the functions that there are.
static std::string completeMessage(StringRef message) {
  StringRef name = message;
  if (!name.consume_front("undefined reference to `") ||
      !name.consume_back("`"))
    return message.str();
  SmallVector<StringRef> known;
  for (const Constraint &constraint : getConstraints())
    known.push_back(constraint.name);
  known.push_back(kFuse);
  if (llvm::is_contained(known, name))
    return ("'" + name +
            "' is declared by \"Transformer.pdll\", which is not "
            "included")
        .str();
  return unknownName("name", name, known);
}

/// How to write what the text at `place` of `source` cannot be.
static StringRef findHint(StringRef message, Location place, StringRef path,
                          StringRef source) {
  auto file = dyn_cast<FileLineColLoc>(place);
  if (message != "expected expression" || !file || file.getFilename() != path)
    return "";
  for (unsigned line = 1; line < file.getLine(); ++line)
    source = source.split('\n').second;
  char start =
      source.drop_front(std::min<size_t>(source.size(), file.getColumn() - 1))
          .str()[0];
  if (start == '"')
    return "; a name is written attr<\"\\\"name\\\"\">";
  return llvm::isDigit(start) || start == '-'
             ? "; a number is written attr<\"128\">"
             : "";
}

bool mlir::tensorcast::emitCompilerMessages(MLIRContext *context,
                                            StringRef text, StringRef path,
                                            StringRef source) {
  bool hasError = false;
  std::optional<InFlightDiagnostic> diag;
  std::string last;
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    // Some messages come twice, from two passes over the file.
    for (StringRef severity : {"error", "warning", "note"}) {
      std::string mark = (": " + severity + ": ").str();
      size_t at = line.find(mark);
      if (at == StringRef::npos)
        continue;
      StringRef where = line.take_front(at);
      std::optional<Location> place = parsePlace(context, where);
      if (!place)
        place = findConstant(context, where, path, source);
      if (!place)
        break;
      StringRef message = line.drop_front(at + mark.size());
      if (severity == "note") {
        if (diag)
          diag->attachNote(*place) << message;
        break;
      }
      diag.reset();
      if (line == last)
        break;
      last = line.str();
      hasError |= severity == "error";
      diag.emplace(severity == "error" ? emitError(*place)
                                       : emitWarning(*place));
      *diag << completeMessage(message)
            << findHint(message, *place, path, source);
      break;
    }
  }
  return hasError;
}
