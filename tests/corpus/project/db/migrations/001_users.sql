create table users (
    id bigint primary key,
    name text not null default '‘’'
);

create view everyone as
    SELECT
        *
    from users;
