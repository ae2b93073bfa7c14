//! A board in lines.

use kalah::rules::Board;

/// The board as it lies between the players, who have these names: the player to move sits below.
pub fn drawing<const P: usize>(board: &Board<P>, [above, below]: [&str; 2]) -> String {
    let row = |ends: [&str; 3], cell: &dyn Fn(usize) -> String| {
        let cells: Vec<_> = (0..P).map(cell).collect();
        format!("{}{}{}", ends[0], cells.join(ends[1]), ends[2])
    };
    let bar = |_| "─────".to_owned();
    let pits = board.pits();
    let numbers = |number: &dyn Fn(usize) -> usize| {
        row(["         ", " ", ""], &|pit| format!("{:^5}", number(pit)))
    };
    let (store, opponent_store) = (board.store(), board.opponent_store());
    [
        format!("{}   {above}", numbers(&|pit| P - pit)),
        row(["        ┌", "┬", "┐"], &bar),
        row([" ┌─────┤", "│", "├─────┐"], &|pit| {
            format!("{:^5}", pits.opponent()[P - 1 - pit])
        }),
        row([&format!(" │{opponent_store:^5}├"), "┼", &format!("┤{store:^5}│")], &bar),
        row([" └─────┤", "│", "├─────┘"], &|pit| {
            format!("{:^5}", pits.mover()[pit])
        }),
        row(["        └", "┴", "┘"], &bar),
        format!("{}   {below}", numbers(&|pit| pit + 1)),
    ]
    .join("\n")
        + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facing_pits_stand_above_each_other() {
        let board: Board<2> = "1,12,30,3,4,0".parse().unwrap();
        assert_eq!(
            drawing(&board, ["opponent", "to move"]),
            "
           2     1     opponent
        ┌─────┬─────┐
 ┌─────┤  4  │  3  ├─────┐
 │  0  ├─────┼─────┤ 30  │
 └─────┤  1  │ 12  ├─────┘
        └─────┴─────┘
           1     2     to move
"
            .trim_start_matches('\n')
        );
    }
}
