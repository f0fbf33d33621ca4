package units

import (
	"fmt"
	"math"
	"os"
	"strings"
)

var factors = map[string]float64{"g": 1, "kg": 1000, "oz": 28.35, "lb": 453.6}

var step float64

func detect(lang string) float64 {
	if strings.HasPrefix(lang, "en_US") {
		return 0.25
	}
	return 0.1
}

func rounding() float64 {
	if step == 0 { //race:step
		step = detect(os.Getenv("LANG")) //race:step
	}
	return step //race:step
}

// Convert turns an amount of one unit into another, rounded as people of this place do.
func Convert(amount float64, from, to string) (float64, error) {
	f, ok := factors[from]
	if !ok {
		return 0, fmt.Errorf("unknown unit %q", from)
	}
	g, ok := factors[to]
	if !ok {
		return 0, fmt.Errorf("unknown unit %q", to)
	}
	s := rounding()
	return math.Round(amount*f/g/s) * s, nil
}
