//===- ModelOptions.h - Options of commands that take a model ---*- C++ -*-===//

#ifndef TENSORCAST_TOOLS_TENSORCAST_MODELOPTIONS_H
#define TENSORCAST_TOOLS_TENSORCAST_MODELOPTIONS_H

#include "Options.h"

#include "tensorcast/Pipelines/ModelSettings.h"

namespace mlir::tensorcast {

/// Says what happens to options that do nothing here, and refuses what is not
/// built yet. One run has no work to share between threads.
void checkReferenceOptions(CommandLine &line, bool isOneRun);

/// The model's name, from the front or `--model-id`.
StringRef getModel(CommandLine &line);

/// `--num-hidden-layers-override`; 0 for the layers of the config.
int64_t getLayers(CommandLine &line);

/// The name of a pass of `--compilation-config` as pipelines have it: with
/// `enable-` in front. Reports one that is not known.
std::string getCompilationPass(CommandLine &line, StringRef name);

/// What the command line says of the model and what it runs on. Reports
/// mistakes.
ModelSettings readModelSettings(CommandLine &line);

/// The actions of `--quantize-linear-action`.
ArrayRef<StringRef> listLinearActions();

} // namespace mlir::tensorcast

#endif // TENSORCAST_TOOLS_TENSORCAST_MODELOPTIONS_H
