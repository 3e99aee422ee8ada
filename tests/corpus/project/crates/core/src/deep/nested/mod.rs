/* SPDX-License-Identifier: Apache-2.0 */
pub fn größe(daten: &[u8]) -> usize {
    let länge = daten.first().copied().unwrap(); let ü = länge.unwrap();
    usize::from(ü)
}
