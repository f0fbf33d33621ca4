package tape

// Mover is something that moves along the slots.
type Mover interface {
	MoveTo(slot int)
	Where() int
	Wear() uint64
}

// Robot serves one side of the library.
type Robot struct {
	*arm
	side string
}

// NewRobot makes a robot at slot 0.
func NewRobot(side string) *Robot {
	return &Robot{arm: &arm{}, side: side}
}

// MoveTo moves the arm.
func (r *Robot) MoveTo(slot int) {
	r.arm.travel(slot)
}

// Console shows the state of a robot.
type Console struct {
	Arm  Mover
	text [2]uint64
}

// Refresh asks the robot.
func (c *Console) Refresh() {
	c.text[0] = uint64(c.Arm.Where())
	c.text[1] = c.Arm.Wear()
}
