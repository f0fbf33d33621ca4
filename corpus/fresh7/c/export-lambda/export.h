#pragma once

long export_rows(long wanted);
