// Wrong models: held values, events, outputs and options.
#include "unit/wrong_models/wrong_models.hpp"

namespace vessiot::lang {

std::vector<WrongModel> wrong_results() {
    return {
        {"HoldOfParameter", R"(
parameter g = 1
unknown x
x' = g
hold g
)",
         R"(
model.ves:4:6: 'hold' names unknowns and their derivatives, but 'g' is a parameter, whose value stands in line 1
    hold g
         ^)"},
        {"EventTwice", R"(
unknown x
x' = 1
event a: x = 0
event a: x = 1
)",
         R"(
model.ves:4:7: the event 'a' is given twice; the first is in line 3
    event a: x = 1
          ^)"},
        {"EventWithoutUnknown", R"(
parameter g = 1
unknown x
x' = 1
event a: g = 0
)",
         R"(
model.ves:4:1: this event contains no unknown: it never happens
    event a: g = 0
    ^~~~~~~~~~~~~~)"},
        {"EventThatStopsAndGoesOn", R"(
unknown x
x' = 1
event a: x = 0 stop then x = 1
)",
         R"(
model.ves:3:21: 'stop' ends the run, and 'then' says how it goes on: an event has one of them
    event a: x = 0 stop then x = 1
                        ^~~~)"},
        {"EventThatSetsAndStops", R"(
unknown x
x' = 1
event a: x = 0 then x = 1 stop
)",
         R"(
model.ves:3:27: 'stop' ends the run, and 'then' says how it goes on: an event has one of them
    event a: x = 0 then x = 1 stop
                              ^~~~)"},
        {"EventDirectionAfterThen", R"(
unknown x
x' = 1
event a: x = 0 then x = 1 rising
)",
         R"(
model.ves:3:27: 'rising' stands before 'then'
    event a: x = 0 then x = 1 rising
                              ^~~~~~)"},
        {"EventSetsTheHighestDerivative", R"(
unknown x
x' = 1
event a: x = 0 then x' = 1
)",
         R"(
model.ves:3:21: the event 'a' cannot set x': the equations determine it; what can be set of 'x' is x
    event a: x = 0 then x' = 1
                        ^~~~~~)"},
        {"EventSetsAnAlgebraicUnknown", R"(
unknown x, z
x' = z
z = -x
event a: x = 0 then z = 1
)",
         R"(
model.ves:4:21: the event 'a' cannot set z: it follows from the equations at every point
    event a: x = 0 then z = 1
                        ^~~~~)"},
        {"EventSetsAParameter", R"(
parameter g = 1
unknown x
x' = g
event a: x = 0 then g = -g
)",
         R"(
model.ves:4:21: 'then' sets unknowns, their derivatives and discrete quantities, but 'g' is a parameter, whose value stands in line 1
    event a: x = 0 then g = -g
                        ^)"},
        {"EventSetsTwice", R"(
unknown x
x' = 1
event a: x = 0 then x = 1, x = 2
)",
         R"(
model.ves:3:28: this event sets x twice
    event a: x = 0 then x = 1, x = 2
                               ^~~~~)"},
        {"EventSetsNothing", R"(
unknown x
x' = 1
event a: x = 0 then
)",
         R"(
model.ves:3:16: the line is not finished: something is missing after 'then'
    event a: x = 0 then
                   ^~~~)"},
        {"SectionOfNoEvent", R"(
unknown x
x' = 1
event crossing: x = 0
output section crosing
)",
         R"(
model.ves:4:16: a section shows the crossings of an event, but 'crosing' is none of this model; did you mean 'crossing'?
    output section crosing
                   ^~~~~~~)"},
        {"SectionTwice", R"(
unknown x
x' = 1
event a: x = 0
output section a
output section a
)",
         R"(
model.ves:5:1: 'output section' is given twice; the first is in line 4
    output section a
    ^~~~~~~~~~~~~~~~)"},
        {"OutputTwice", R"(
unknown x
x' = 1
output E = x^2
output E = x^3
)",
         R"(
model.ves:4:8: the output 'E' is given twice; the first is in line 3
    output E = x^3
           ^)"},
        {"OutputNamedAsUnknown", R"(
unknown x
x' = 1
output x = 2
)",
         R"(
model.ves:3:8: 'x' is an unknown and has a column already; choose another name
    output x = 2
           ^)"},
        {"OutputIntervalNotPositive", R"(
unknown x
x' = 1
output every 0
)",
         R"(
model.ves:3:14: the output interval must be positive, but it is 0
    output every 0
                 ^)"},
        {"OutputEveryTwice", R"(
unknown x
x' = 1
output every 1
output every 2
)",
         R"(
model.ves:4:1: 'output every' is given twice; the first is in line 3
    output every 2
    ^~~~~~~~~~~~~~)"},
        {"OptionTwice", R"(
unknown x
x' = 1
option rtol = 1e-6
option atol = 1, rtol = 1e-8
)",
         R"(
model.ves:4:18: the option 'rtol' is given twice; the first is in line 3
    option atol = 1, rtol = 1e-8
                     ^~~~)"},
    };
}

} // namespace vessiot::lang
