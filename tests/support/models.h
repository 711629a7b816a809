// Models for tests, built without files.
#pragma once

#include "generators/transformer/model_spec.h"

namespace npunet::test {

/// Four dense layers, 512 wide, with 8 heads.
inline generators::ModelSpec tiny_model() {
    generators::ModelSpec model;
    model.name = "tiny";
    model.hidden = 512;
    model.layers = 4;
    model.heads = model.kv_heads = 8;
    model.head_dim = 64;
    model.ffn = 2048;
    model.vocab = 1024;
    model.seq = 128;
    return model;
}

}  // namespace npunet::test
