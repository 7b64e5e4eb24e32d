//===- SplitResidual.cpp - Where the reference starts to split tokens -----===//
//
// The reference looks at one layer of each kind. The first kind that splits the
// residual gets it whole from what is in front, so that its layers read all
// tokens of it and have nothing to gather behind their first norm; the last
// norm leaves the share that it got.
//
//===----------------------------------------------------------------------===//

#include "ReferenceWays.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::tensorcast;
using namespace mlir::transformer;

/// Lets the readers of `argument`, a share of the residual, see all of it.
static void readAllTokens(BlockArgument argument) {
  AllGatherOp gather;
  RMSNormOp norm;
  for (Operation *user : argument.getUsers())
    if (auto found = dyn_cast<RMSNormOp>(user); found && found->hasOneUse())
      if (auto next = dyn_cast<AllGatherOp>(*found->user_begin())) {
        norm = found;
        gather = next;
      }
  if (!gather)
    return;
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  Type type = gather.getType();
  auto all = ascend::ViewOp::create(builder, argument.getLoc(), TypeRange{type},
                                    argument);
  argument.replaceAllUsesExcept(all.getResult(0), all);
  norm.getResult().setType(gather.getType());
  gather.replaceAllUsesWith(norm.getResult());
  gather.erase();
}

void mlir::tensorcast::startFromAllTokens(ModuleOp module) {
  SymbolTable symbols(module);
  for (auto function : module.getOps<func::FuncOp>()) {
    LayerOp first;
    unsigned position = 0;
    function.walk([&](LayerOp layer) {
      for (OpOperand &operand : layer->getOpOperands())
        if (!first && operand.get().getDefiningOp<OwnRowsOp>()) {
          first = layer;
          position = operand.getOperandNumber();
        }
    });
    if (!first)
      continue;
    auto callee = symbols.lookup<func::FuncOp>(first.getCallee());
    readAllTokens(callee.getArgument(position));
    for (AllGatherOp gather :
         llvm::make_early_inc_range(function.getOps<AllGatherOp>())) {
      auto norm = gather.getInput().getDefiningOp<RMSNormOp>();
      bool isLast =
          norm && llvm::all_of(gather->getUsers(), llvm::IsaPred<LastTokensOp>);
      if (!isLast)
        continue;
      gather.replaceAllUsesWith(norm.getResult());
      gather.erase();
    }
  }
}
