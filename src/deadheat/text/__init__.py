"""From raw bytes to clean lanes of lines, each line knowing its raw offset; knows no detector."""
