//===- Compiler.cpp - Compiles PDLL ---------------------------------------===//

#include "Compiler.h"

#include "tensorcast/Support/Wording.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace mlir::tensorcast;

/// Seconds that a file may take to compile.
static constexpr unsigned maxCompileSeconds = 8;

/// The folder of the dialects' TableGen files, beside this program or where it
/// was built.
static std::string findDialects() {
  static int anchor;
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  SmallString<256> installed(
      llvm::sys::path::parent_path(llvm::sys::path::parent_path(program)));
  llvm::sys::path::append(installed, "include", "tensorcast", "dialects");
  return llvm::sys::fs::exists(installed) ? std::string(installed)
                                          : TENSORCAST_DIALECTS_DIR;
}

FailureOr<std::string>
mlir::tensorcast::compilePDLL(MLIRContext *context, StringRef path,
                              StringRef source, const PatternOptions &options) {
  Location unknown = UnknownLoc::get(context);
  StringRef compiler = options.compiler.empty()
                           ? StringRef(TENSORCAST_MLIR_PDLL)
                           : StringRef(options.compiler);
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(compiler);
  if (!program) {
    emitError(unknown) << "expected the program mlir-pdll to compile "
                       << quoteText(path) << ", but found none as "
                       << quoteText(compiler)
                       << "; install mlir-22-tools or set 'compiler'";
    return failure();
  }
  std::string dialects = findDialects();
  SmallVector<std::string> args = {*program, "-x=mlir"};
  for (const std::string &dir : options.includeDirs)
    args.push_back("-I" + dir);
  for (std::string dir : {dialects, dialects + "/Transformer",
                          std::string(TENSORCAST_MLIR_INCLUDE_DIR)})
    args.push_back("-I" + dir);
  args.push_back(path.str());
  CompilerCache cache(source, args);
  if (std::optional<std::string> cached = cache.load())
    return *cached;

  SmallString<128> output, messages, dependencies;
  if (llvm::sys::fs::createTemporaryFile("patterns", "mlir", output) ||
      llvm::sys::fs::createTemporaryFile("patterns", "txt", messages) ||
      llvm::sys::fs::createTemporaryFile("patterns", "d", dependencies)) {
    emitError(unknown) << "cannot write temporary files to compile "
                       << quoteText(path);
    return failure();
  }
  llvm::scope_exit remove([&] {
    llvm::sys::fs::remove(output);
    llvm::sys::fs::remove(messages);
    llvm::sys::fs::remove(dependencies);
  });
  args.push_back("-o=" + output.str().str());
  args.push_back("-d=" + dependencies.str().str());
  std::string problem;
  SmallVector<StringRef> refs(args.begin(), args.end());
  int status = llvm::sys::ExecuteAndWait(
      *program, refs, /*Env=*/std::nullopt,
      {StringRef(), StringRef(messages), StringRef(messages)},
      maxCompileSeconds, /*MemoryLimit=*/0, &problem);

  auto text = llvm::MemoryBuffer::getFile(messages);
  bool hasError =
      text && emitCompilerMessages(context, (*text)->getBuffer(), path, source);
  auto result = llvm::MemoryBuffer::getFile(output);
  if (status == 0 && !hasError && result) {
    std::string pdl = (*result)->getBuffer().str();
    // What has warnings is compiled each time, to say them each time.
    auto rule = llvm::MemoryBuffer::getFile(dependencies);
    if (rule && (*text)->getBuffer().empty())
      cache.store(pdl, (*rule)->getBuffer());
    return pdl;
  }
  if (!hasError) {
    InFlightDiagnostic diag =
        emitError(FileLineColLoc::get(context, path, 1, 1))
        << "cannot be compiled by mlir-pdll";
    if (status == -2)
      diag << ": it did not come to an end within " << maxCompileSeconds
           << " s, or crashed; do files include each other?";
    else if (!problem.empty())
      diag << ": " << problem;
  }
  return failure();
}
