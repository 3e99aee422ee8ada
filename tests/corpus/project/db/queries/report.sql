-- TODO: index
select * from orders;
select id, total from orders where total > (select max(total) from old_orders);
select * from old_orders; -- phaser:ignore no-select-star
Select	*, 1 from orders;
select count(*) from orders;
