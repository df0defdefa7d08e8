// Text edits: splitting, replacing and padding, shared by the methods of str and the filters.
#pragma once

#include <vector>

#include "jinja/heap.h"

namespace brigada::jinja {

/// str.split(separator, max_splits) and str.rsplit. Needs a separator that is not empty.
std::vector<std::string_view> split_at(std::string_view text, std::string_view separator,
                                       int64_t max_splits);
std::vector<std::string_view> split_at_from_end(std::string_view text, std::string_view separator,
                                                int64_t max_splits);
/// str.split(None, max_splits) and str.rsplit: at runs of white space.
std::vector<std::string_view> split_at_space(std::string_view text, int64_t max_splits);
std::vector<std::string_view> split_at_space_from_end(std::string_view text, int64_t max_splits);
/// str.splitlines(keep_ends).
std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends);

/// str.replace(old, with, most); most < 0: all.
Result<Value> replace_all(Heap& heap, std::string_view text, std::string_view old,
                          std::string_view with, int64_t most);

/// `text` with `fill` up to `width` code points: after it (<), before it (>) or around it (^, as
/// str.center does).
Result<Value> pad_text(Heap& heap, std::string_view text, int64_t width, std::string_view fill,
                       char align);

}  // namespace brigada::jinja
