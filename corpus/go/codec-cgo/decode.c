#include "_cgo_export.h"

void decode(int n) {
	if (n > 0) {
		onFrame(n);
	}
}
