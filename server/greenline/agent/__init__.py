"""The run loop: planner, critic, executor, reflector."""
