# Owns the two commands; each sets up everything that it needs (see .ci/setup).
.PHONY: demo test setup clean
export PATH := $(CURDIR)/.venv/bin:$(PATH)

demo:
	.ci/setup demo
	python -m minitorch.demo

test:
	.ci/setup test
	ctest --test-dir build/venv --output-on-failure --parallel 2
	python -m pytest

# The development environment alone: .venv with an editable install.
setup:
	.ci/setup test

clean:
	rm -rf build dist .venv
