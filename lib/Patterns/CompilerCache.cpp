//===- CompilerCache.cpp - Keeps compiled patterns ------------------------===//
//
// An entry is PDL text behind comments: the hash of all that follows, and what
// it was made of, a file a line: `// SIZE TIME PATH`.
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// What an entry says of a file: its size, when it was changed, and where it
/// is. Empty if there is no such file.
static std::string describeFile(StringRef path) {
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status) ||
      !llvm::sys::fs::is_regular_file(status))
    return "";
  auto time = status.getLastModificationTime().time_since_epoch().count();
  return ("// " + Twine(status.getSize()) + " " + Twine(time) + " " + path)
      .str();
}

/// The line in front of the rest of an entry: damage is not taken for patterns.
static std::string describeRest(StringRef rest) {
  auto hash = llvm::SHA256::hash(llvm::arrayRefFromStringRef(rest));
  return "// " + llvm::toHex(hash, /*LowerCase=*/true) + "\n";
}

CompilerCache::CompilerCache(StringRef source, ArrayRef<std::string> args) {
  if (!llvm::sys::path::cache_directory(path)) {
    path.clear();
    return;
  }
  llvm::SHA256 hash;
  auto add = [&](StringRef text) {
    hash.update(text);
    hash.update(ArrayRef<uint8_t>(0));
  };
  // Paths may be relative to where the program is started.
  SmallString<128> folder;
  (void)llvm::sys::fs::current_path(folder);
  add(folder);
  for (const std::string &arg : args)
    add(arg);
  add(source);
  llvm::sys::path::append(path, "tensorcast", "patterns",
                          llvm::toHex(hash.final(), /*LowerCase=*/true) +
                              ".mlir");
}

std::optional<std::string> CompilerCache::load() const {
  if (path.empty())
    return std::nullopt;
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return std::nullopt;
  StringRef text = (*file)->getBuffer(), rest = text.split('\n').second;
  if (!text.starts_with(describeRest(rest)))
    return std::nullopt;
  bool any = false;
  while (rest.starts_with("// ")) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    StringRef dependency =
        line.drop_front(3).split(' ').second.split(' ').second;
    if (describeFile(dependency) != line)
      return std::nullopt;
    any = true;
  }
  return any ? std::optional<std::string>(text.str()) : std::nullopt;
}

void CompilerCache::store(StringRef pdl, StringRef dependencies) const {
  if (path.empty())
    return;
  std::string header;
  // target: file \ file ...
  StringRef rest = dependencies.split(": ").second;
  while (!rest.empty()) {
    StringRef word;
    std::tie(word, rest) = llvm::getToken(rest, " \n\t\\");
    if (word.empty())
      continue;
    std::string line = describeFile(word);
    // A name that the rule writes in another way; better none than stale.
    if (line.empty())
      return;
    header += line + "\n";
  }
  if (header.empty() ||
      llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)))
    return;
  // Complete or not at all, whoever else writes it.
  llvm::consumeError(
      llvm::writeToOutput(path, [&](raw_ostream &os) -> llvm::Error {
        std::string rest = header + pdl.str();
        os << describeRest(rest) << rest;
        return llvm::Error::success();
      }));
}
