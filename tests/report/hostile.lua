-- </script><script>document.title = "taken"</script><img src="http://example.invalid/a.png">
local x, y = position("x", "y")
kinetic((velocity(x)^2 + velocity(y)^2)/2)
potential(9.81*y)
constraint("rod", x^2 + y^2 - 1)
draw.point("<img src=x onerror=\"document.title='taken'\">", {x, y}, { trace = true })
draw.line("</script><!--", {0, 0}, {x, y})
draw.mesh("arrow", "arrow.obj", {x, y, 0.5}, { scale = 0.2, quaternion = {1, 0, 0, x} })
draw.spring("spring", {0, 0, 0}, {x, y, 0}, { coils = 5 })
draw.frame("frame", {0, 0, 0})
initial{ x = 1, y = 0 }
simulate{ to = 2, rtol = 1e-6, every = 0.01 }
