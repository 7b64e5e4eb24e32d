//===- CommandLine.cpp - What the command-line tools share ----------------===//

#include "tensorcast/CommandLine/CommandLine.h"

#include "tensorcast/Support/Wording.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tensorcast;
using llvm::opt::Arg;
using llvm::opt::OptSpecifier;

std::string mlir::tensorcast::normalizeOption(StringRef arg) {
  if (!arg.starts_with("--"))
    return arg.str();
  auto [name, value] = arg.split('=');
  std::string text = name.str();
  std::replace(text.begin(), text.end(), '_', '-');
  return text + arg.drop_front(name.size()).str();
}

LogicalResult CommandLine::parse(ArrayRef<const char *> rawArgs) {
  llvm::StringSaver saver(allocator);
  SmallVector<const char *> normalized;
  for (const char *arg : rawArgs)
    normalized.push_back(saver.save(normalizeOption(arg)).data());

  unsigned missingIndex, missingCount;
  args = table.ParseArgs(normalized, missingIndex, missingCount, visibility);
  if (missingCount)
    reportError("expected a value after '" +
                Twine(args.getArgString(missingIndex)) + "', but got none");
  for (const Arg *arg : args)
    if (arg->getOption().getKind() == llvm::opt::Option::UnknownClass)
      reportUnknown(*arg);
  return failure(failed);
}

void CommandLine::reportUnknown(const Arg &arg) {
  std::string name = arg.getAsString(args);
  std::string nearest;
  unsigned distance = table.findNearest(name, nearest, visibility);
  StringRef text = nearest;
  text.consume_back("=");
  std::string hint;
  // A likeness is a few letters of many.
  if (distance <= 1 + name.size() / 4 && !text.empty())
    hint = "; did you mean '" + text.str() + "'?";
  reportError("unknown option " + quoteText(name) + hint);
}

void CommandLine::reportError(const Twine &message) {
  failed = true;
  llvm::WithColor::error(errors, command) << message << '\n';
}

void CommandLine::reportNote(const Twine &message) {
  llvm::WithColor::note(errors, command) << message << '\n';
}

std::string mlir::tensorcast::getOptionName(const Arg &arg) {
  StringRef name = arg.getSpelling();
  name.consume_back("=");
  return name.str();
}

int64_t CommandLine::getInteger(OptSpecifier id, int64_t fallback) {
  const Arg *arg = args.getLastArg(id);
  if (!arg)
    return fallback;
  int64_t value;
  if (!StringRef(arg->getValue()).getAsInteger(10, value))
    return value;
  reportError("expected an integer for '" + getOptionName(*arg) +
              "', but got " + quoteText(arg->getValue()));
  return fallback;
}

double CommandLine::getNumber(OptSpecifier id, double fallback) {
  const Arg *arg = args.getLastArg(id);
  if (!arg)
    return fallback;
  double value;
  if (!StringRef(arg->getValue()).getAsDouble(value) && std::isfinite(value))
    return value;
  reportError("expected a number for '" + getOptionName(*arg) + "', but got " +
              quoteText(arg->getValue()));
  return fallback;
}

/// `w8a8-dynamic` and `W8A8_DYNAMIC` are the same choice.
static std::string fold(StringRef choice) {
  std::string text = choice.lower();
  std::replace(text.begin(), text.end(), '_', '-');
  return text;
}

StringRef CommandLine::getChoice(OptSpecifier id, ArrayRef<StringRef> values,
                                 StringRef fallback) {
  const Arg *arg = args.getLastArg(id);
  if (!arg)
    return fallback;
  StringRef text = arg->getValue();
  for (StringRef value : values)
    if (fold(value) == fold(text))
      return value;
  std::string hint;
  if (std::optional<StringRef> nearest = nearestName(text, values))
    hint = ("; did you mean '" + *nearest + "'?").str();
  reportError("expected " + joinNames(values.drop_back()) + " or " +
              values.back() + " for '" + getOptionName(*arg) + "', but got " +
              quoteText(text) + hint);
  return fallback;
}

SmallVector<std::string>
CommandLine::getKnownValues(const llvm::opt::Option &option) const {
  std::vector<std::string> values =
      table.suggestValueCompletions(option.getPrefixedName(), "");
  return SmallVector<std::string>(values.begin(), values.end());
}

void mlir::tensorcast::printBashCompletion(
    raw_ostream &os, StringRef program, const llvm::opt::OptTable &table,
    ArrayRef<std::pair<StringRef, llvm::opt::Visibility>> commands) {
  os << "# bash completion for " << program << "\n_" << program
     << "() {\n  local words\n  case \"${COMP_WORDS[1]}\" in\n";
  std::string names;
  for (auto [name, visibility] : commands) {
    names += (names.empty() ? "" : " ") + name.str();
    os << "    " << name << ") words=\"";
    llvm::SetVector<StringRef> options;
    for (unsigned id = 1; id <= table.getNumOptions(); ++id) {
      llvm::opt::Option option = table.getOption(id);
      StringRef text = table.getOptionPrefixedName(id);
      text.consume_back("=");
      if (text.starts_with("--") && option.hasVisibilityFlag(visibility))
        options.insert(text);
    }
    llvm::interleave(options, os, " ");
    os << "\" ;;\n";
  }
  os << "    *) words=\"" << names
     << "\" ;;\n  esac\n  if [ \"$COMP_CWORD\" -eq 1 ]; then words=\"" << names
     << "\"; fi\n  COMPREPLY=( $(compgen -o default -W \"$words\" -- "
        "\"${COMP_WORDS[COMP_CWORD]}\") )\n}\ncomplete -F _"
     << program << " " << program << "\n";
}
