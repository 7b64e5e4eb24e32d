//===- CollectDiagnostics.h - Diagnostics as text ---------------*- C++ -*-===//
//
// A fixture whose tests compare what users would read, and files to read.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_TEST_UNIT_SUPPORT_COLLECTDIAGNOSTICS_H
#define TENSORCAST_TEST_UNIT_SUPPORT_COLLECTDIAGNOSTICS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

namespace mlir::tensorcast {

class DiagnosticTest : public testing::Test {
protected:
  DiagnosticTest()
      : context(MLIRContext::Threading::DISABLED),
        handler(&context, [this](Diagnostic &diagnostic) {
          std::string text;
          llvm::raw_string_ostream stream(text);
          if (auto file = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
            stream << file.getFilename().getValue() << ":" << file.getLine()
                   << ":" << file.getColumn() << ": ";
          if (diagnostic.getSeverity() == DiagnosticSeverity::Warning)
            stream << "warning: ";
          stream << diagnostic;
          messages.push_back(text);
        }) {}

  /// All diagnostics since the last call, one a line.
  std::string takeMessages() {
    std::string text = llvm::join(messages, "\n");
    messages.clear();
    return text;
  }

  Location unknownLoc() { return UnknownLoc::get(&context); }

  MLIRContext context;
  std::vector<std::string> messages;

private:
  ScopedDiagnosticHandler handler;
};

/// A directory of its own, removed at the end with all that is in it.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("tensorcast", root));
  }
  ~TemporaryDirectory() { llvm::sys::fs::remove_directories(root); }

  std::string path(const llvm::Twine &name) const {
    return (root + "/" + name).str();
  }

  /// Writes a file, with the directories above it, and returns its path.
  std::string write(const llvm::Twine &name, StringRef text) const {
    std::string file = path(name);
    EXPECT_FALSE(
        llvm::sys::fs::create_directories(llvm::sys::path::parent_path(file)));
    std::error_code error;
    llvm::raw_fd_ostream stream(file, error);
    EXPECT_FALSE(error) << error.message();
    stream << text;
    return file;
  }

private:
  llvm::SmallString<128> root;
};

} // namespace mlir::tensorcast

#endif // TENSORCAST_TEST_UNIT_SUPPORT_COLLECTDIAGNOSTICS_H
