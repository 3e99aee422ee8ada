import { useState } from "react";

type Props = { action: string };

export function Form({ action }: Props) {
  const [value, setValue] = useState("");
  const submit = async () => {
    try {
      await fetch(action, { method: "POST", body: value });
    } catch (error) {
      console.log(error);
    }
  };
  return <form onSubmit={submit}>{value as any}</form>;
}

export const fallback = "http://forms.example.org/submit";
