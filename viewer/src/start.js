// Which page it is: a run or an analysis.
if (document.getElementById("data").dataset.kind === "analysis") import("./analysis.js");
else import("./main.js");
