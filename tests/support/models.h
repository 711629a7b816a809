// Models for tests, built without files.
#pragma once

#include "generators/transformer/model_spec.h"

namespace npunet::test {

/// Four dense layers, 512 wide, with 8 heads.
inline generators::ModelSpec tiny_model() {
    generators::ModelSpec model = generators::dense_model(
        {.hidden = 512, .layers = 4, .heads = 8, .vocab = 1024, .seq = 128});
    model.name = "tiny";
    return model;
}

}  // namespace npunet::test
