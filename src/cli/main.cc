// brigada: the one binary. Everything is in cli.cc and the commands it lists.
#include <iostream>

#include "base/memory.h"
#include "cli/cli.h"

int main(int argc, char** argv) {
    brigada::pin_malloc_thresholds();
    return brigada::run_cli({argv + 1, argv + argc}, std::cout, std::cerr);
}
