package lift

import "time"

// Open lets people in, for a while.
func (d *Door) Open() {
	d.motor.run()
	d.state = Open
	d.moves++
	d.timer = time.AfterFunc(d.wait, d.expired)
}

func (d *Door) expired() {
	d.motor.run()
	d.shut()
}

func (d *Door) shut() {
	d.state = Shut //race:Door.state
	d.moves++      //race:Door.moves
}

// Hold keeps the door open until somebody lets go.
func (d *Door) Hold() {
	d.timer.Stop()
	d.hold()
}

func (d *Door) hold() {
	d.state = Held //race:Door.state
	d.moves++      //race:Door.moves
}
