//===- tc-cost-program.cpp - Runs cost programs as machine code -----------===//
//
//   tc-cost-program PROGRAM.ll FEATURES PRICES
//
// What `tensorcast cost-program --jit` runs, as compiling takes most of LLVM.
// FEATURES is a file of doubles: the number of features, of outputs and of
// batches, and then the features, column by column. PRICES gets the outputs.
//
//===----------------------------------------------------------------------===//

#include "tensorcast/CostProgram/CompiledProgram.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <vector>

using namespace mlir;
using namespace mlir::tensorcast;

static int fail(const Twine &message, int status = 1) {
  llvm::WithColor::error(llvm::errs(), "tc-cost-program") << message << '\n';
  return status;
}

/// A count in a file of doubles.
static size_t getCount(double value) {
  return value >= 0 && value <= 0x1p40 ? static_cast<size_t>(value) : 0;
}

static int run(StringRef program, StringRef features, StringRef prices) {
  auto text = llvm::MemoryBuffer::getFile(program);
  auto buffer = llvm::MemoryBuffer::getFile(features, /*IsText=*/false);
  if (!text || !buffer)
    return fail("cannot read '" + (text ? features : program) +
                "': " + (text ? buffer : text).getError().message());
  std::string mistake;
  FailureOr<CompiledProgram> compiled =
      CompiledProgram::compile((*text)->getBuffer(), mistake);
  if (failed(compiled))
    return fail(program + ": " + mistake);
  std::vector<double> values((*buffer)->getBufferSize() / sizeof(double));
  std::memcpy(values.data(), (*buffer)->getBufferStart(),
              values.size() * sizeof(double));
  size_t numFeatures = 0, numOutputs = 0, count = 0;
  if (values.size() >= 3) {
    numFeatures = getCount(values[0]);
    numOutputs = getCount(values[1]);
    count = getCount(values[2]);
  }
  if (numOutputs == 0 || values.size() != 3 + numFeatures * count)
    return fail(features + ": expected the features of batches, but got " +
                Twine(values.size()) + " numbers");
  std::vector<double> results(numOutputs * count);
  SmallVector<const double *> inputs;
  SmallVector<double *> outputs;
  for (size_t i = 0; i < numFeatures; ++i)
    inputs.push_back(values.data() + 3 + i * count);
  for (size_t i = 0; i < numOutputs; ++i)
    outputs.push_back(results.data() + i * count);
  compiled->run(inputs, count, outputs);
  std::error_code error;
  llvm::raw_fd_ostream os(prices, error, llvm::sys::fs::OF_None);
  if (!error) {
    os.write(reinterpret_cast<const char *>(results.data()),
             results.size() * sizeof(double));
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return fail("cannot write '" + prices + "': " + error.message());
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  if (argc == 2 && StringRef(argv[1]) == "--help") {
    llvm::outs() << "USAGE: tc-cost-program PROGRAM.ll FEATURES PRICES\n\nRuns "
                    "what 'tensorcast cost-program --emit-llvm' writes on the "
                    "features of\nbatches. 'tensorcast cost-program --jit' "
                    "does all of it.\n";
    return 0;
  }
  if (argc != 4)
    return fail("expected PROGRAM.ll FEATURES PRICES, but got " +
                    Twine(argc - 1) + " arguments; try --help",
                /*status=*/2);
  return run(argv[1], argv[2], argv[3]);
}
