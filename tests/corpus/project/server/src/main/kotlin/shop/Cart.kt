package shop

class Cart(private val items: MutableList<String> = mutableListOf()) {
    fun add(item: String) {
        items += item
        println("added $item")
        System.out.println(item)
    }

    fun save() {
        try {
            items.forEach { check(it.isNotBlank()) }
        } catch (e: IllegalStateException) { }
    }
}
