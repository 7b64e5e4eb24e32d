//===- LengthFile.cpp - Lengths of requests from files --------------------===//

#include "LengthReaders.h"

#include "tensorcast/Support/Wording.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::tensorcast::search;

InFlightDiagnostic LengthSource::emitError(size_t line, size_t column) const {
  return mlir::emitError(FileLineColLoc::get(context, path, line, column));
}

//===----------------------------------------------------------------------===//
// Traces
//===----------------------------------------------------------------------===//

// As public traces and serving frameworks call them.
static constexpr StringRef inputNames[] = {
    "input_tokens",  "input_length",       "input_len",
    "prompt_tokens", "prompt_len",         "context_tokens",
    "contexttokens", "num_prefill_tokens", "request tokens"};
static constexpr StringRef outputNames[] = {
    "output_tokens",     "output_length",     "output_len",
    "completion_tokens", "completion_len",    "generated_tokens",
    "generatedtokens",   "num_decode_tokens", "response tokens"};

ArrayRef<StringRef> tensorcast::search::getLengthNames(bool output) {
  return output ? ArrayRef<StringRef>(outputNames) : inputNames;
}

std::optional<size_t>
tensorcast::search::findLengthName(ArrayRef<StringRef> names, bool output) {
  auto isKnown = [&](StringRef name) {
    return llvm::any_of(getLengthNames(output), [&](StringRef known) {
      return known.equals_insensitive(name.trim());
    });
  };
  const StringRef *found = llvm::find_if(names, isKnown);
  if (found == names.end())
    return std::nullopt;
  return found - names.begin();
}

void TraceBuilder::add(int64_t input, int64_t output) {
  if (input == 0 || output == 0) {
    ++numLeftOut;
    return;
  }
  auto [found, isNew] =
      known.try_emplace({input, output}, lengths.classes.size());
  if (isNew)
    lengths.classes.push_back({input, output, 0});
  lengths.classes[found->second].weight += 1;
}

FailureOr<Lengths> TraceBuilder::finish() {
  if (lengths.classes.empty())
    return source.emitError(1, 1)
           << "expected requests with tokens, but got "
           << (numLeftOut > 0 ? "only some without" : "none");
  if (numLeftOut > 0)
    mlir::emitWarning(FileLineColLoc::get(source.context, source.path, 1, 1))
        << "left out " << numLeftOut
        << " requests that have no input or no output tokens";
  // A trace has too many lengths for shares of each to be whole.
  lengths.byQuantile = true;
  return std::move(lengths);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

FailureOr<Lengths> tensorcast::search::readLengthFile(
    StringRef path, std::optional<int64_t> output, MLIRContext *context) {
  Location loc = UnknownLoc::get(context);
  StringRef extension = llvm::sys::path::extension(path);
  auto read = llvm::StringSwitch<FailureOr<Lengths> (*)(const LengthSource &)>(
                  extension.lower())
                  .Cases({".yaml", ".yml"}, readBins)
                  .Case(".csv", readCsvTrace)
                  .Cases({".jsonl", ".ndjson"}, readJsonTrace)
                  .Default(nullptr);
  if (!read)
    return emitError(loc) << "expected an integer, or a .yaml, .csv or .jsonl "
                             "file with lengths, but got "
                          << quoteText(path);
  constexpr uint64_t maxBytes = uint64_t(1) << 30;
  uint64_t size = 0;
  if (!llvm::sys::fs::file_size(path, size) && size > maxBytes)
    return emitError(loc) << "expected a file of at most " << maxBytes
                          << " bytes, but " << quoteText(path) << " has "
                          << size;
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return emitError(loc) << "cannot read " << quoteText(path) << ": "
                          << buffer.getError().message();
  StringRef text = (*buffer)->getBuffer();
  text.consume_front("\xef\xbb\xbf");
  return read({text, path, output, context});
}
