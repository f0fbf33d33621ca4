package main

import "fmt"

func main() {
	pic := newPicture(64, 48)
	for y := 0; y < pic.height; y++ {
		for x := 0; x < pic.width; x++ {
			pic.pix[y*pic.width+x] = float32((x*y)%17) / 17
		}
	}
	pic.blur(4)
	fmt.Println("blurred", pic.width, "by", pic.height)
}
