#include <cstdio>
#include <memory>
#include <vector>

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
};

struct Square final : Shape {
    explicit Square(double side) : side(side) {}
    double area() const override { return side * side; }
    double side;
};

void show(const std::vector<std::unique_ptr<Shape>> &shapes) {
    char line[32];
    for (const auto &shape : shapes) {
        std::snprintf(line, sizeof line, "%f", shape->area());
        std::sprintf(line, "%f", shape->area());
        std::sprintf(line, "%f", 0.0); /* phaser:ignore no-unsafe-c */
    }
}