// Where one looks from: straight at a planar scene, around one in space (z is up).
import { MOUSE, OrthographicCamera, PerspectiveCamera, TOUCH, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

export function makeCamera(canvas, { low, high }, planar) {
  const centre = new Vector3(...low).add(new Vector3(...high)).divideScalar(2);
  const extent = new Vector3(...high).sub(new Vector3(...low));
  const radius = Math.max(extent.length() / 2, 1e-6);
  const camera = planar ? new OrthographicCamera() : new PerspectiveCamera(35);
  camera.up.set(0, planar ? 1 : 0, planar ? 0 : 1);
  const controls = new OrbitControls(camera, canvas);
  controls.enableRotate = !planar;
  controls.zoomToCursor = true;
  if (planar) {
    controls.mouseButtons = { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
    controls.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN };
  }
  let aspect = 1;
  fit();
  canvas.addEventListener("keydown", turnByKeys);
  return { camera, controls, fit, resize, radius, centre };

  function fit() {
    controls.target.copy(centre);
    if (planar) {
      camera.position.set(centre.x, centre.y, centre.z + 10 * radius);
      camera.zoom = 1;
    } else {
      const distance = (0.95 * radius) / Math.sin((camera.fov * Math.PI) / 360) / Math.min(1, aspect);
      camera.position.copy(centre).addScaledVector(new Vector3(0.75, -1, 0.55).normalize(), distance);
    }
    resize(aspect);
    controls.update();
  }

  function resize(ratio) {
    aspect = ratio;
    if (planar) {
      const half = 0.56 * Math.max(extent.y, extent.x / aspect, 1e-6);
      Object.assign(camera, { left: -half * aspect, right: half * aspect, top: half, bottom: -half });
      Object.assign(camera, { near: 0, far: 20 * radius });
    } else Object.assign(camera, { aspect, near: radius / 100, far: radius * 100 });
    camera.updateProjectionMatrix();
  }

  // Arrows turn or shift, plus and minus zoom, 0 fits.
  function turnByKeys(event) {
    const turns = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (turns[event.key]) move(...turns[event.key]);
    else if (event.key === "+" || event.key === "-") zoom(event.key === "+" ? 1.15 : 1 / 1.15);
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
    controls.update();
    controls.dispatchEvent({ type: "change" });
  }

  function zoom(factor) {
    if (planar) camera.zoom *= factor;
    else camera.position.sub(controls.target).divideScalar(factor).add(controls.target);
    camera.updateProjectionMatrix();
  }

  function move(x, y) {
    const arm = camera.position.clone().sub(controls.target);
    if (planar) {
      const shift = new Vector3(x, y, 0).multiplyScalar((0.1 * radius) / camera.zoom);
      camera.position.add(shift);
      controls.target.add(shift);
      return;
    }
    arm.applyAxisAngle(camera.up, 0.1 * x);
    const level = new Vector3().crossVectors(camera.up, arm).normalize();
    const lifted = arm.clone().applyAxisAngle(level, -0.1 * y);
    if (Math.abs(lifted.clone().normalize().dot(camera.up)) < 0.99) arm.copy(lifted);
    camera.position.copy(controls.target).add(arm);
  }
}
