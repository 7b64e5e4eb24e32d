//===- SourceCheck.cpp - What MLIR's parser cannot refuse -----------------===//

#include "tensorcast/Support/SourceCheck.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Process.h"

#include <cstdio>
#include <cstdlib>

using namespace mlir;
using namespace mlir::tensorcast;

namespace {
/// Follows brackets and digits outside of strings and comments.
class Scanner {
public:
  explicit Scanner(StringRef text) : text(text) {}

  /// What is wrong and where, if anything is.
  std::optional<StringRef> run() {
    for (; position < text.size(); ++position) {
      char c = text[position];
      if (c == '"')
        skipString();
      else if (c == '/' && text.substr(position).starts_with("//"))
        position = std::min(text.find('\n', position), text.size()) - 1;
      digits = llvm::isDigit(c) ? digits + 1 : 0;
      if (digits > maxDigits)
        return "expected a number of at most 1000 digits";
      if (StringRef("([{<").contains(c))
        ++depth;
      // An arrow closes nothing.
      else if (StringRef(")]}>").contains(c) && !isArrow() && depth > 0)
        --depth;
      if (depth > maxDepth)
        return "expected brackets nested at most 1000 deep";
    }
    return std::nullopt;
  }

  size_t getPosition() const { return position; }

private:
  static constexpr unsigned maxDepth = 1000, maxDigits = 1000;

  bool isArrow() const {
    return text[position] == '>' && position > 0 && text[position - 1] == '-';
  }

  void skipString() {
    for (++position; position < text.size() && text[position] != '"';
         ++position)
      if (text[position] == '\\')
        ++position;
  }

  StringRef text;
  size_t position = 0;
  unsigned depth = 0, digits = 0;
};
} // namespace

std::string SourceProblem::format() const {
  return (fileName + ":" + Twine(line) + ":" + Twine(column) +
          ": error: " + message)
      .str();
}

std::optional<SourceProblem>
mlir::tensorcast::checkSource(llvm::MemoryBufferRef source) {
  StringRef text = source.getBuffer();
  constexpr StringLiteral bytecodeMagic = "ML\xefR";
  if (text.starts_with(bytecodeMagic))
    return std::nullopt;
  Scanner scanner(text);
  std::optional<StringRef> problem = scanner.run();
  if (!problem)
    return std::nullopt;
  StringRef before = text.take_front(scanner.getPosition());
  size_t line = before.count('\n') + 1;
  size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  return SourceProblem{source.getBufferIdentifier().str(), line, column,
                       *problem};
}

/// Ends the process; what fails here is beyond reporting in another way.
static void exitWithError(void *, const char *reason, bool) {
  std::fprintf(stderr, "error: cannot go on: %s\n", reason);
  std::_Exit(1);
}

void mlir::tensorcast::installFatalErrorHandlers() {
  llvm::install_fatal_error_handler(exitWithError);
  llvm::install_bad_alloc_error_handler(exitWithError);
}
