import React from 'react'
export function Button({ label }: Props) { return <button onClick={() => press(label)}>{label}</button> }
const Panel: React.FC = () => <Button label="x" />
