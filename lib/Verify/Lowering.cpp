//===- Lowering.cpp - From linalg to LLVM ---------------------------------===//

#include "Lowering.h"

#include "EntryPoint.h"
#include "LayerFunctions.h"

#include "tensorcast/Verify/Executable.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::tensorcast;

void tensorcast::registerExecutionDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, bufferization::BufferizationDialect,
                  cf::ControlFlowDialect, func::FuncDialect,
                  linalg::LinalgDialect, LLVM::LLVMDialect, math::MathDialect,
                  memref::MemRefDialect, tensor::TensorDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  memref::registerAllocationOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// What public functions are given is only read.
static void protectArguments(ModuleOp module) {
  Builder builder(module.getContext());
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic())
      continue;
    function.removeResAttrsAttr();
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      function.setArgAttrs(i, DictionaryAttr::get(module.getContext()));
      function.setArgAttr(
          i, bufferization::BufferizationDialect::kWritableAttrName,
          builder.getBoolAttr(false));
    }
  }
}

/// Frees buffers: upstream's pipeline, but that functions that call layers are
/// not simplified, for which each of their buffers is compared with each
/// result. What may be the same buffer is then found when they run.
static LogicalResult deallocateBuffers(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(bufferization::createOwnershipBasedBufferDeallocationPass());
  pm.addPass(createCanonicalizerPass());
  if (failed(pm.run(module)))
    return failure();
  PassManager simplify(module.getContext(), func::FuncOp::getOperationName());
  simplify.addPass(bufferization::createBufferDeallocationSimplificationPass());
  for (auto function : module.getOps<func::FuncOp>())
    if (function.getOps<func::CallOp>().empty() &&
        failed(simplify.run(function)))
      return failure();
  pm.clear();
  pm.addPass(bufferization::createLowerDeallocationsPass());
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createConvertBufferizationToMemRefPass());
  return pm.run(module);
}

/// Copies of strided buffers are loops too; LLVM would call a library.
static void expandCopies(ModuleOp module) {
  module.walk([](memref::CopyOp copy) {
    OpBuilder builder(copy);
    linalg::CopyOp::create(builder, copy.getLoc(), copy.getSource(),
                           copy.getTarget());
    copy.erase();
  });
}

/// Functions that call layers do little else. Optimized, their calls would be
/// one block again, which takes time quadratic in the number of weights.
static void keepCallersApart(ModuleOp module) {
  Builder builder(module.getContext());
  auto attr = builder.getStrArrayAttr({"noinline", "optnone"});
  auto isOfLayer = [](LLVM::CallOp call) {
    return call.getCallee().value_or("").starts_with(kLayerFunctionName);
  };
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (llvm::any_of(function.getOps<LLVM::CallOp>(), isOfLayer))
      function.setPassthroughAttr(attr);
}

LogicalResult tensorcast::lowerToLLVM(ModuleOp module) {
  protectArguments(module);
  PassManager pm(module.getContext());
  pm.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  if (failed(pm.run(module)) || failed(deallocateBuffers(module)))
    return failure();
  expandCopies(module);
  takeDescriptors(module);
  pm.clear();
  // What upstream lowers from here on, LLVM verifies.
  pm.enableVerifier(false);
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  if (failed(pm.run(module)))
    return failure();
  keepCallersApart(module);
  return success();
}
