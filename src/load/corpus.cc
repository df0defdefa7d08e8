#include "load/corpus.h"

namespace brigada {

namespace {

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc23-extensions"
constexpr char kCorpus[] = {
#embed "corpus.txt"
};
#pragma clang diagnostic pop

}  // namespace

std::string_view load_corpus() {
    return {kCorpus, sizeof kCorpus};
}

}  // namespace brigada
