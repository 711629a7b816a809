// MSCCL XML: an algorithm as msccl-tools write it and as RCCL reads it (src/misc/msccl/
// msccl_parser.cc, src/include/msccl/msccl_struct.h).
//
//     <algo name="ring" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allreduce"
//           inplace="1">
//       <gpu id="0" i_chunks="2" o_chunks="0" s_chunks="0">
//         <tb id="0" send="1" recv="1" chan="0">
//           <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1"
//                 deps="-1" hasdep="0"/>
//
// The limits of RCCL's memory (64 steps of a thread block, 64 thread blocks of a GPU, fewer than 72
// chunks a step) are not applied. nchannels, outofplace and nthreadblocks are not needed.
//
// C++17-clean.
#pragma once

#include <string>

#include "engine/collective_files/file_algorithm.h"

namespace npunet::engine {

/// The algorithm in a file, as it stands there: check_algorithm() is still to be called. Throws
/// InputError with line, gpu, thread block and step for what is no such file.
[[nodiscard]] FileAlgorithm read_msccl(const std::string& file);

}  // namespace npunet::engine
