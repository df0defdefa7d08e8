// brigada: the one binary. Everything is in cli.cc and the commands it lists.
#include <iostream>

#include "cli/cli.h"

int main(int argc, char** argv) {
    return brigada::run_cli({argv + 1, argv + argc}, std::cout, std::cerr);
}
