//===- Verify.cpp - tensorcast verify, and programs beside this one -------===//
//
// Verification compiles what it runs. That takes most of LLVM, so it lives in a
// program of its own, and this one starts fast.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace mlir::tensorcast;

int mlir::tensorcast::runSibling(const char *self, StringRef name,
                                 ArrayRef<StringRef> args, StringRef command) {
  static int anchor;
  std::string own = llvm::sys::fs::getMainExecutable(self, &anchor);
  SmallString<128> program(llvm::sys::path::parent_path(own));
  llvm::sys::path::append(program, name);
  SmallVector<StringRef> words = {program};
  llvm::append_range(words, args);
  std::string message;
  int status = llvm::sys::ExecuteAndWait(program, words, std::nullopt, {},
                                         /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &message);
  // Negative: it could not be started, or a signal ended it.
  if (status >= 0)
    return status;
  llvm::WithColor::error(llvm::errs(), command)
      << "expected '" << program << "' to run, but got: " << message << '\n';
  return ExitFailure;
}

int mlir::tensorcast::runVerify(const char *self, ArrayRef<const char *> args) {
  SmallVector<StringRef> words(args.begin(), args.end());
  return runSibling(self, "tc-verify", words, "tensorcast verify");
}
