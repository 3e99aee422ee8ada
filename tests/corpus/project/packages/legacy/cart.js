<<<<<<< HEAD
var total = 0;
=======
let total = 0;
>>>>>>> feature/cart

function add(price) {
  total += price;
}
// ======= not at the start
