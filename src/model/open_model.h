// The two kinds of model on disk, each with its way of opening; open_model chooses.
#pragma once

#include "base/file.h"
#include "base/result.h"
#include "model/model.h"

namespace brigada {

Result<Model> open_gguf_model(const Path& path);

/// A directory as Hugging Face lays it out: config.json, tokenizer.json, safetensors; and, where
/// there are, tokenizer_config.json, chat_template.jinja and generation_config.json.
Result<Model> open_hugging_face_model(const Path& directory);

}  // namespace brigada
