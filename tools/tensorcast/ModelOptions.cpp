//===- ModelOptions.cpp - Options of commands that take a model -----------===//

#include "ModelOptions.h"

#include "Session.h"
#include "tensorcast/Support/Wording.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Option.h"

using namespace mlir;
using namespace mlir::tensorcast;
using llvm::opt::Arg;

void mlir::tensorcast::checkReferenceOptions(CommandLine &line, bool isOneRun) {
  for (const Arg *arg : line.getArgs()) {
    const llvm::opt::Option &option = arg->getOption();
    if (isOneRun && option.matches(OPT_jobs_eq))
      line.reportNote("'" + getOptionName(*arg) +
                      "' has no effect here: One run needs no threads");
    if (option.matches(OPT_noted_Group)) {
      line.reportNote("'" + getOptionName(*arg) + "' has no effect here: " +
                      getOptTable().getOptionHelpText(option.getID()));
      continue;
    }
    if (!option.matches(OPT_later_Group))
      continue;
    if (arg->getNumValues() == 0) {
      line.reportError("option '" + getOptionName(*arg) + "' is not built yet");
      continue;
    }
    SmallVector<std::string> values = line.getKnownValues(option);
    if (!llvm::is_contained(values, StringRef(arg->getValue())))
      line.reportError(
          "option '" + getOptionName(*arg) + "' is not built yet: expected " +
          llvm::join(values, " or ") + ", but got '" + arg->getValue() + "'");
  }
  if (line.getArgs().hasArg(OPT_fusion_plugin_eq))
    line.reportError(
        "option '--fusion-plugin' is not supported: Python plugins "
        "are not loaded; fusions are pattern files here ('--patterns')");
}

StringRef mlir::tensorcast::getModel(CommandLine &line) {
  if (!line.getArgs().hasArg(OPT_model_id_eq))
    return getInput(line, "one model (a preset, a config.json or a folder "
                          "with one)");
  if (line.getArgs().hasArg(OPT_INPUT))
    line.reportError("expected the model once, but got it in front and with "
                     "'--model-id'");
  return line.getString(OPT_model_id_eq);
}

int64_t mlir::tensorcast::getLayers(CommandLine &line) {
  int64_t layers = line.getInteger(OPT_num_hidden_layers_override_eq, 0);
  if (layers < 0 || layers > 4096)
    line.reportError("expected '--num-hidden-layers-override' from 0 to 4096, "
                     "but got " +
                     Twine(layers));
  return layers;
}

std::string mlir::tensorcast::getCompilationPass(CommandLine &line,
                                                 StringRef name) {
  StringRef known[] = {kMatmulAllReducePass, kSequenceParallelPass,
                       kMultistreamPass, kDispatchFFNCombinePass};
  std::string pass = name.str();
  std::replace(pass.begin(), pass.end(), '_', '-');
  if (!StringRef(pass).starts_with("enable-"))
    pass = "enable-" + pass;
  if (!llvm::is_contained(known, pass))
    line.reportError(unknownName("compilation-config name", pass, known));
  return pass;
}

/// The passes that `--compilation-config` switches on.
static SmallVector<std::string> getCompilationConfig(CommandLine &line) {
  SmallVector<std::string> passes;
  for (const std::string &name :
       line.getArgs().getAllArgValues(OPT_compilation_config_eq))
    passes.push_back(getCompilationPass(line, name));
  if (!passes.empty() && !line.hasFlag(OPT_compile))
    line.reportError("expected '--compile' beside '--compilation-config', but "
                     "got none");
  return passes;
}

ArrayRef<StringRef> mlir::tensorcast::listLinearActions() {
  static constexpr StringRef actions[] = {
      "DISABLED",     "W8A16_STATIC", "W8A16_DYNAMIC",
      "W8A8_STATIC",  "W8A8_DYNAMIC", "W4A8_STATIC",
      "W4A8_DYNAMIC", "FP8",          "MXFP4"};
  return actions;
}

ModelSettings mlir::tensorcast::readModelSettings(CommandLine &line) {
  ModelSettings settings;
  settings.device = line.getString(OPT_device_eq).str();
  settings.reference = line.getString(OPT_reference_eq).str();
  settings.kernelSet = line.getString(OPT_kernel_set_eq).str();
  settings.costModel = line.getString(OPT_cost_model_eq).str();
  settings.kernelCoefficients =
      line.getString(OPT_kernel_coefficients_eq).str();
  ArrayRef<StringRef> actions = listLinearActions();
  // The default depends on what the model is run for.
  if (line.getArgs().hasArg(OPT_quantize_linear_action_eq))
    settings.linearAction =
        line.getChoice(OPT_quantize_linear_action_eq, actions, "").str();
  // Here, DISABLED means that these layers are not treated apart.
  StringRef others = line.getChoice(OPT_quantize_non_expert_linear_action_eq,
                                    actions, "DISABLED");
  if (others != "DISABLED")
    settings.nonExpertLinearAction = others.str();
  settings.attentionAction =
      line.getChoice(OPT_quantize_attention_action_eq,
                     {"DISABLED", "INT8", "FP8"}, "DISABLED")
          .str();
  settings.redundantExperts = line.hasFlag(OPT_enable_redundant_experts);
  settings.sharedExpertTensor = line.hasFlag(OPT_enable_shared_expert_tp);
  settings.externalSharedExperts =
      line.hasFlag(OPT_enable_external_shared_experts);
  settings.hostSharedExperts = line.hasFlag(OPT_host_external_shared_experts);
  settings.wordEmbedding =
      line.getChoice(OPT_word_embedding_tp_eq, {"none", "col", "row"}, "none")
          .str();
  settings.mxfp4GroupSize = line.getInteger(OPT_mxfp4_group_size_eq, 32);
  settings.reservedMemoryGB = line.getNumber(OPT_reserved_memory_gb_eq, 0);
  settings.noRepetition = line.hasFlag(OPT_no_repetition);
  llvm::append_range(settings.patterns,
                     line.getArgs().getAllArgValues(OPT_patterns_eq));
  settings.compiled = line.hasFlag(OPT_compile);
  settings.compilationConfig = getCompilationConfig(line);
  return settings;
}
