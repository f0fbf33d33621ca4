// Package imu drives an inertial sensor.
package imu

type registers struct {
	accelZ int32
	frames uint32
}

// Device is an attached sensor.
type Device struct {
	regs registers
}

// Attach listens on the bus.
func Attach(bus <-chan [3]int16) *Device {
	d := &Device{}
	go d.interrupts(bus)
	return d
}

func (d *Device) interrupts(bus <-chan [3]int16) {
	for raw := range bus {
		d.onFrame(raw)
	}
}

func (d *Device) onFrame(raw [3]int16) {
	d.regs.accelZ = int32(raw[2]) //race:registers.accelZ
	d.regs.frames++               //race:registers.frames
}

// Vertical is the last reading along the vertical axis, and how many there were.
func (d *Device) Vertical() (z int32, frames uint32) {
	z = d.regs.accelZ      //race:registers.accelZ
	frames = d.regs.frames //race:registers.frames
	return z, frames
}
