//===- Json.h - Reading JSON without exceptions -----------------*- C++ -*-===//
//
// Text and files to JSON values, with every failure as an MLIR diagnostic.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_SUPPORT_JSON_H
#define TENSORCAST_SUPPORT_JSON_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"
#include "nlohmann/json.hpp"

namespace mlir {
class DictionaryAttr;
} // namespace mlir

namespace mlir::tensorcast {

/// Objects keep the order of the text.
using Json = nlohmann::ordered_json;

/// The deepest nesting of arrays and objects that `parseJson` accepts.
constexpr unsigned maxJsonNesting = 256;

/// The largest file that `readJsonFile` accepts.
constexpr uint64_t maxJsonFileBytes = uint64_t(64) << 20;

/// Parses one JSON value. `fileName` is what diagnostics call the text; they
/// point at its line, counted from `firstLine`, and column. Rejects duplicate
/// keys, nesting beyond `maxJsonNesting` and anything after the value.
FailureOr<Json> parseJson(StringRef text, StringRef fileName,
                          MLIRContext *context, unsigned firstLine = 1);

/// Parses one value from each line of `text` that is not blank, and calls
/// `useValue` with it and the number of its line until that fails.
LogicalResult
parseJsonLines(StringRef text, StringRef fileName, MLIRContext *context,
               function_ref<LogicalResult(const Json &, unsigned)> useValue);

/// Reads and parses the file at `path`.
FailureOr<Json> readJsonFile(StringRef path, MLIRContext *context);

/// Turns an object into attributes: objects become dictionaries, arrays
/// ArrayAttr, integers i64, other numbers f64, and booleans and strings their
/// own kind. MLIR has no null, so that is an error, as are integers beyond
/// 64 bits.
FailureOr<DictionaryAttr>
jsonToDictionary(const Json &value,
                 llvm::function_ref<InFlightDiagnostic()> emitError,
                 MLIRContext *context);

/// `value` as messages show it: short scalars as they are, the rest by kind.
std::string describeJson(const Json &value);

/// `pointer` extended by `key`, escaped as RFC 6901 says.
std::string appendJsonPointer(StringRef pointer, StringRef key);

} // namespace mlir::tensorcast

#endif // TENSORCAST_SUPPORT_JSON_H
