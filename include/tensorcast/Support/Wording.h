//===- Wording.h - How diagnostics say things -------------------*- C++ -*-===//
//
// Phrases that diagnostics of all parts share.
//
//===----------------------------------------------------------------------===//

#ifndef TENSORCAST_SUPPORT_WORDING_H
#define TENSORCAST_SUPPORT_WORDING_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir::tensorcast {

/// The one of `known` that `name` most likely meant, or nothing if none is
/// near. Case does not count.
std::optional<StringRef> nearestName(StringRef name, ArrayRef<StringRef> known);

/// The names with `separator` between them, and each between `quote`s.
std::string joinNames(ArrayRef<StringRef> names, StringRef separator = ", ",
                      StringRef quote = "");

/// User text fit for one line of a message: in single quotes, control
/// characters replaced, cut if very long.
std::string quoteText(StringRef text);

/// `unknown device 'X'; did you mean 'Y'? known devices: Y, Z`. `kind` is
/// singular.
std::string unknownName(StringRef kind, StringRef name,
                        ArrayRef<StringRef> known);

/// The same for a caller that knows better what is near.
std::string unknownName(StringRef kind, StringRef name,
                        ArrayRef<StringRef> known,
                        std::optional<StringRef> nearest);

} // namespace mlir::tensorcast

#endif // TENSORCAST_SUPPORT_WORDING_H
