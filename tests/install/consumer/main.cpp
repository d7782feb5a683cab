#include <vessiot/version.hpp>

#include <iostream>

int main() {
    std::cout << "consumer of vessiot " << vessiot::version() << '\n';
}
