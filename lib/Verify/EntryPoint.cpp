//===- EntryPoint.cpp - How compiled functions are called -----------------===//

#include "EntryPoint.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::tensorcast;

namespace {
/// Rewrites one function.
class EntryPoint {
public:
  EntryPoint(func::FuncOp function, const LLVMTypeConverter &types)
      : function(function), types(types), builder(function.getContext()) {}

  void rewrite() {
    auto terminators = llvm::to_vector(function.getOps<func::ReturnOp>());
    Type pointer = LLVM::LLVMPointerType::get(function.getContext());
    Block &entry = function.getBody().front();
    unsigned numArguments = entry.getNumArguments();
    Value table = entry.addArgument(pointer, function.getLoc());

    int64_t word = 0;
    for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
      for (func::ReturnOp op : terminators)
        store(op, op.getOperand(index), table, word);
      word += getNumDescriptorWords(cast<MemRefType>(type).getRank());
    }
    for (func::ReturnOp op : terminators)
      op->setOperands(ValueRange());
    for (unsigned i = 0; i < numArguments; ++i) {
      BlockArgument argument = entry.getArgument(i);
      auto type = cast<MemRefType>(argument.getType());
      for (OpOperand &use : llvm::make_early_inc_range(argument.getUses()))
        use.set(load(use.getOwner(), type, table, word));
      word += getNumDescriptorWords(type.getRank());
    }
    entry.eraseArguments(0, numArguments);
    function.setAllArgAttrs(ArrayRef<DictionaryAttr>{});
    function.setType(builder.getFunctionType(pointer, {}));
    splitAtCalls(entry);
  }

private:
  Value getAddress(Location loc, Value table, int64_t word) {
    return LLVM::GEPOp::create(builder, loc, table.getType(),
                               builder.getI64Type(), table,
                               ArrayRef<LLVM::GEPArg>(int32_t(word)));
  }

  Value load(Operation *user, MemRefType type, Value table, int64_t word) {
    builder.setInsertionPoint(user);
    Location loc = user->getLoc();
    Value descriptor = LLVM::LoadOp::create(
        builder, loc, types.convertType(type), getAddress(loc, table, word));
    return UnrealizedConversionCastOp::create(builder, loc, type, descriptor)
        .getResult(0);
  }

  void store(Operation *terminator, Value buffer, Value table, int64_t word) {
    builder.setInsertionPoint(terminator);
    Location loc = terminator->getLoc();
    Value descriptor =
        UnrealizedConversionCastOp::create(
            builder, loc, types.convertType(buffer.getType()), buffer)
            .getResult(0);
    LLVM::StoreOp::create(builder, loc, descriptor,
                          getAddress(loc, table, word));
  }

  void splitAtCalls(Block &entry) {
    for (auto call : llvm::to_vector(entry.getOps<func::CallOp>())) {
      Block *block = call->getBlock();
      Block *rest = block->splitBlock(std::next(call->getIterator()));
      builder.setInsertionPointToEnd(block);
      cf::BranchOp::create(builder, call.getLoc(), rest);
    }
  }

  func::FuncOp function;
  const LLVMTypeConverter &types;
  OpBuilder builder;
};
} // namespace

void tensorcast::takeDescriptors(ModuleOp module) {
  LLVMTypeConverter types(module.getContext());
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isDeclaration())
      EntryPoint(function, types).rewrite();
}
