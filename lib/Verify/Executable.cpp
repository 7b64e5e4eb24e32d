//===- Executable.cpp - Modules compiled in process -----------------------===//

#include "tensorcast/Verify/Executable.h"

#include "EntryPoint.h"
#include "Lowering.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::tensorcast;

#ifdef __x86_64__
// What processors without instructions for f16 call; it comes with the
// compiler's run-time library, which is linked statically.
extern "C" {
float __extendhfsf2(uint16_t);
uint16_t __truncsfhf2(float);
uint16_t __truncdfhf2(double);
}
#endif

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Operations that unoptimized code runs in about the time that optimizing
/// takes for a model of two layers.
static constexpr double worthOptimizing = 1e8;

Executable::Executable(MLIRContext *context) : context(context) {}
Executable::Executable(Executable &&) = default;
Executable &Executable::operator=(Executable &&) = default;
Executable::~Executable() = default;

static llvm::orc::SymbolMap
getRuntimeSymbols(llvm::orc::MangleAndInterner mangle) {
  llvm::orc::SymbolMap symbols;
#ifdef __x86_64__
  auto add = [&](StringRef name, auto *function) {
    symbols[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                             llvm::JITSymbolFlags::Exported};
  };
  add("__extendhfsf2", &__extendhfsf2);
  add("__truncsfhf2", &__truncsfhf2);
  add("__truncdfhf2", &__truncdfhf2);
#endif
  return symbols;
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
makeTargetMachine(llvm::CodeGenOptLevel level) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> builder =
      llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  builder->setCodeGenOptLevel(level);
  return builder->createTargetMachine();
}

/// Names of functions that people give may be those of a library.
static std::string getSymbolName(StringRef function) {
  return ("tensorcast_run_" + function).str();
}

FailureOr<Executable> Executable::compile(ModuleOp module) {
  Executable executable(module.getContext());
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic())
      continue;
    for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                              function.getResultTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !tensor.hasStaticShape() ||
          !HostTensor::supports(tensor.getElementType()))
        return function.emitOpError(
                   "expected static tensors of floats or signless integers of "
                   "at most 64 bits, but got ")
               << type;
    }
    executable.functions[function.getName()] = function.getFunctionType();
    function.setName(getSymbolName(function.getName()));
  }
  WorkEstimate work = estimateWork(module);
  if (failed(lowerToLLVM(module)))
    return failure();

  auto report = [&](llvm::Error error) -> LogicalResult {
    return mlir::emitError(module.getLoc(), "expected code for this machine, "
                                            "but the compiler says: ")
           << llvm::toString(std::move(error));
  };
  // Results are the same at any level: floats are not reordered. Below some
  // work, compiling well takes longer than running badly.
  bool isWorthIt = work.operations > worthOptimizing;
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      makeTargetMachine(isWorthIt ? llvm::CodeGenOptLevel::Default
                                  : llvm::CodeGenOptLevel::None);
  if (!machine)
    return report(machine.takeError());
  ExecutionEngineOptions options;
  auto optimize = makeOptimizingTransformer(/*optLevel=*/2, /*sizeLevel=*/0,
                                            machine->get());
  if (isWorthIt)
    options.transformer = optimize;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  llvm::Expected<std::unique_ptr<ExecutionEngine>> engine =
      ExecutionEngine::create(module, options, std::move(*machine));
  if (!engine)
    return report(engine.takeError());
  executable.engine = std::move(*engine);
  executable.engine->registerSymbols(getRuntimeSymbols);
  return std::move(executable);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// Descriptors of buffers, one after another.
class Descriptors {
public:
  /// Appends a view of `data`.
  void append(RankedTensorType type, const char *data) {
    auto address = static_cast<int64_t>(reinterpret_cast<uintptr_t>(data));
    llvm::append_values(words, address, address, int64_t(0));
    llvm::append_range(words, type.getShape());
    SmallVector<int64_t> strides(type.getRank(), 1);
    for (int64_t dim = type.getRank() - 2; dim >= 0; --dim)
      strides[dim] = strides[dim + 1] * type.getDimSize(dim + 1);
    llvm::append_range(words, strides);
  }

  /// Appends room for a result; its index.
  size_t reserve(RankedTensorType type) {
    size_t start = words.size();
    words.resize(start + getNumDescriptorWords(type.getRank()));
    return start;
  }

  void *getTable() { return words.data(); }
  char *getAllocated(size_t start) const { return getPointer(start); }
  char *getData(size_t start, RankedTensorType type) const {
    return getPointer(start + 1) +
           words[start + 2] *
               HostTensor::getElementBytes(type.getElementType());
  }

private:
  char *getPointer(size_t index) const {
    return reinterpret_cast<char *>(static_cast<uintptr_t>(words[index]));
  }

  std::vector<int64_t> words;
};
} // namespace

FailureOr<std::vector<HostTensor>>
Executable::run(StringRef function, ArrayRef<HostTensor> arguments) {
  FunctionType type = functions.lookup(function);
  Descriptors descriptors;
  SmallVector<size_t> resultStarts;
  for (Type result : type.getResults())
    resultStarts.push_back(descriptors.reserve(cast<RankedTensorType>(result)));
  for (const HostTensor &argument : arguments)
    descriptors.append(argument.getType(), argument.data());
  void *table = descriptors.getTable();
  void *packed[] = {&table};
  if (llvm::Error error = engine->invokePacked(getSymbolName(function), packed))
    return mlir::emitError(UnknownLoc::get(context), "expected function '")
           << function << "', but the compiled code says: "
           << llvm::toString(std::move(error));

  std::vector<HostTensor> results;
  llvm::SmallPtrSet<void *, 8> owned;
  for (auto [start, result] : llvm::zip(resultStarts, type.getResults())) {
    HostTensor &tensor = results.emplace_back(cast<RankedTensorType>(result));
    std::memcpy(tensor.data(), descriptors.getData(start, tensor.getType()),
                tensor.getNumBytes());
    owned.insert(descriptors.getAllocated(start));
  }
  for (void *pointer : owned)
    free(pointer);
  return results;
}
