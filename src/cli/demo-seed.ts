export async function seedDemo() {}
