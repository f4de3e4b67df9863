#include "engine/app/exit_status.hpp"

#include "engine/base/error.hpp"

#include <iostream>
#include <new>

namespace tessera
{

namespace
{

int told(const std::exception& error, int status)
{
    std::cout.flush();
    std::cerr << error.what() << '\n';
    return status;
}

} // namespace

int guarded(const std::function<int()>& command)
{
    try {
        return command();
    } catch (const InputError& error) {
        return told(error, exit_status::bad_input);
    } catch (const PhysicsError& error) {
        return told(error, exit_status::simulation_failed);
    } catch (const EnvironmentError& error) {
        return told(error, exit_status::environment);
    } catch (const std::bad_alloc&) {
        std::cerr << "out of memory. Choose a smaller system or a coarser mesh; `tessera check` "
                     "estimates what is needed.\n";
        return exit_status::environment;
    } catch (const std::exception& error) {
        std::cerr << "this is a fault of the program, not of your input. Please report it with the "
                     "deck.\n";
        return told(error, exit_status::our_bug);
    }
}

} // namespace tessera
